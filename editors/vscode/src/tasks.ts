/** Tasks: `ctrc check`, `ctrc build`, `ctrc test`. */
import * as vscode from 'vscode';
import type { Server } from './server';

/** As it stands in `tasks.json`. */
export interface Definition extends vscode.TaskDefinition {
  type: 'ctrc';
  verb: string;
  paths?: string[];
  arguments?: string[];
}

const VERBS = new Set(['check', 'build', 'test', 'fmt']);

/** What a task is called. */
function name(definition: Definition): string {
  const paths = definition.paths ?? [];
  return paths.length === 0 ? definition.verb : `${definition.verb} ${paths.join(' ')}`;
}

export class Tasks implements vscode.TaskProvider {
  constructor(private readonly server: Server) {}

  /** The program that the server was started from, else what is found now, else the name. */
  private async program(): Promise<string> {
    const { standing } = this.server;
    if (standing.kind === 'running') return standing.path;
    const located = await this.server.find();
    return located.kind === 'missing' ? 'ctrc' : located.path;
  }

  private task(definition: Definition, scope: vscode.WorkspaceFolder | vscode.TaskScope, program: string): vscode.Task {
    const paths = definition.paths ?? [];
    const build = definition.verb === 'build' && paths.length === 0 ? ['${file}'] : paths;
    const settings = vscode.workspace.getConfiguration('ctrc').get<Record<string, string>>('environment', {});
    const execution = new vscode.ProcessExecution(program, [definition.verb, ...(definition.arguments ?? []), ...build], {
      env: settings,
    });
    const matchers = definition.verb === 'test' ? ['$ctrc', '$ctrc-test'] : ['$ctrc'];
    const task = new vscode.Task(definition, scope, name(definition), 'ctrc', execution, matchers);
    if (definition.verb === 'test') task.group = vscode.TaskGroup.Test;
    else if (definition.verb !== 'fmt') task.group = vscode.TaskGroup.Build;
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
    return task;
  }

  async provideTasks(): Promise<vscode.Task[]> {
    const program = await this.program();
    const verbs: Definition[] = [
      { type: 'ctrc', verb: 'check' },
      { type: 'ctrc', verb: 'build', paths: ['${file}'] },
      { type: 'ctrc', verb: 'test' },
    ];
    return (vscode.workspace.workspaceFolders ?? [])
      .filter((folder) => folder.uri.scheme === 'file')
      .flatMap((folder) => verbs.map((definition) => this.task(definition, folder, program)));
  }

  async resolveTask(task: vscode.Task): Promise<vscode.Task | undefined> {
    const definition = task.definition as Definition;
    if (!VERBS.has(definition.verb)) return undefined;
    // The definition must stay the one of `tasks.json`.
    return this.task(definition, task.scope ?? vscode.TaskScope.Workspace, await this.program());
  }

  /** Runs a verb on one file. */
  async run(verb: string, file: vscode.Uri): Promise<void> {
    const folder = vscode.workspace.getWorkspaceFolder(file);
    const definition: Definition = { type: 'ctrc', verb, paths: [file.fsPath] };
    await vscode.tasks.executeTask(this.task(definition, folder ?? vscode.TaskScope.Workspace, await this.program()));
  }
}
