/** Finding the program `ctrc`. Nothing here knows the editor, so that it can be tested without one. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';

/** The oldest `ctrc` that this extension works with. */
export const OLDEST = '0.1.0';

/** What to look in. */
export interface Surroundings {
  /** The setting `ctrc.path`; empty where it is not set. */
  setting: string;
  /** The variables of the environment. */
  env: Record<string, string | undefined>;
  platform: NodeJS.Platform;
  /** The first folder of the workspace, for `${workspaceFolder}` and relative paths. */
  folder: string | undefined;
}

/** A program that answered, or why there is none. */
export type Located =
  | { kind: 'found'; path: string; version: string }
  | { kind: 'missing'; looked: string }
  | { kind: 'old'; path: string; version: string }
  | { kind: 'broken'; path: string; why: string };

/** `${workspaceFolder}`, `${userHome}`, `${env:NAME}` and a leading `~` written out. */
export function expand(text: string, around: Surroundings): string {
  const home = homedir();
  const written = text
    .trim()
    .replace(/\$\{workspaceFolder\}/g, () => around.folder ?? '')
    .replace(/\$\{userHome\}/g, () => home)
    .replace(/\$\{env:([^}]+)\}/g, (_, name: string) => around.env[name] ?? '');
  return written === '~' || /^~[/\\]/.test(written) ? home + written.slice(1) : written;
}

/** The files to try, in this order. A setting is the only candidate: another `ctrc` in its place would surprise. */
export function candidates(around: Surroundings): string[] {
  const windows = around.platform === 'win32';
  const lib = windows ? path.win32 : path.posix;
  const named = (file: string): string[] =>
    windows && lib.extname(file) === '' ? [`${file}.exe`, `${file}.cmd`, file] : [file];
  const setting = expand(around.setting, around);
  if (setting !== '') {
    if (lib.isAbsolute(setting)) return named(setting);
    if (/[/\\]/.test(setting)) return around.folder === undefined ? [] : named(lib.join(around.folder, setting));
  }
  const program = setting === '' ? 'ctrc' : setting;
  const folders = (around.env.PATH ?? around.env.Path ?? '')
    .split(windows ? ';' : ':')
    // A relative entry would run what a workspace brings.
    .filter((folder) => folder !== '' && lib.isAbsolute(folder));
  // Editors that are started from a desktop often lack the folder that `cargo install` writes to.
  folders.push(lib.join(around.env.CARGO_HOME ?? lib.join(homedir(), '.cargo'), 'bin'));
  return folders.flatMap((folder) => named(lib.join(folder, program)));
}

/** The three numbers of a version such as `ctrc 0.1.0` or `0.2.0-dev`. */
export function version(text: string): [number, number, number] | undefined {
  const found = /(\d+)\.(\d+)\.(\d+)/.exec(text);
  if (found === null) return undefined;
  return [Number(found[1]), Number(found[2]), Number(found[3])];
}

/** Whether a version is one that this extension works with. */
export function recent(text: string, oldest = OLDEST): boolean {
  const have = version(text);
  const want = version(oldest);
  if (have === undefined || want === undefined) return false;
  for (let i = 0; i < 3; i += 1) {
    const difference = (have[i] ?? 0) - (want[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

async function executable(file: string, platform: NodeJS.Platform): Promise<boolean> {
  try {
    if (!(await stat(file)).isFile()) return false;
    await access(file, platform === 'win32' ? constants.F_OK : constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What a program says on standard output. Rejected where it fails or takes longer than 10 seconds. */
function ask(file: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { env, timeout: 10_000, shell: file.endsWith('.cmd') }, (error, out) => {
      if (error === null) resolve(out);
      else reject(new Error(error.message.split('\n')[0]));
    });
  });
}

/** Finds a `ctrc` that can serve an editor. */
export async function locate(around: Surroundings): Promise<Located> {
  const tried = candidates(around);
  for (const file of tried) {
    if (!(await executable(file, around.platform))) continue;
    const env = { ...process.env, ...around.env };
    let said: string;
    try {
      said = (await ask(file, ['--version'], env)).trim();
    } catch (error) {
      return { kind: 'broken', path: file, why: error instanceof Error ? error.message : String(error) };
    }
    if (!said.startsWith('ctrc ')) return { kind: 'broken', path: file, why: 'it is another program' };
    const number = said.slice('ctrc '.length);
    if (!recent(number)) return { kind: 'old', path: file, version: number };
    try {
      // The first versions had no language server.
      await ask(file, ['lsp', '--help'], env);
    } catch {
      return { kind: 'old', path: file, version: number };
    }
    return { kind: 'found', path: file, version: number };
  }
  const setting = expand(around.setting, around);
  return { kind: 'missing', looked: setting === '' ? 'the folders of PATH' : setting };
}
