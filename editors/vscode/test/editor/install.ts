/**
 * A real editor from the npm registry: `code-server`, which is VS Code with its window in a browser.
 *
 * It is no dependency of the extension (400 MB) and is kept in a folder of its own.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The last one for Node 20. */
const VERSION = '4.100.3';

function command(cwd: string, program: string, ...args: string[]): void {
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, npm_config_nodedir: dirname(dirname(process.execPath)) } });
}

/** Where ripgrep is, which the editor finds files with. */
function ripgrep(): string {
  try {
    return execFileSync('which', ['rg'], { encoding: 'utf8' }).trim();
  } catch {
    throw new Error('ripgrep is needed: apt-get install ripgrep');
  }
}

/** The program of the editor; installed where it is missing. `CODE_SERVER` names another one. */
export function editor(): string {
  const given = process.env.CODE_SERVER;
  if (given !== undefined && given !== '') return given;
  const home = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), `ctrc-code-server-${VERSION}`);
  const root = join(home, 'node_modules', 'code-server');
  const entry = join(root, 'out', 'node', 'entry.js');
  const complete = join(home, 'complete');
  if (existsSync(complete)) return entry;
  console.log(`installing code-server ${VERSION} to ${home}`);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), '{"private":true}');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev'];
  // The scripts of the package fetch programs from elsewhere; what is needed of them is built here.
  command(home, 'npm', 'install', ...quiet, `code-server@${VERSION}`);
  command(home, 'npm', 'rebuild', 'argon2');
  const code = join(root, 'lib', 'vscode');
  command(code, 'npm', 'install', ...quiet);
  for (const [name, file] of [
    ['@vscode/spdlog', 'spdlog.node'],
    ['native-watchdog', 'watchdog.node'],
    ['node-pty', 'pty.node'],
  ] as const) {
    try {
      command(code, 'npm', 'rebuild', name);
    } catch (error) {
      // The script of `node-pty` goes on to what only Windows needs.
      if (!existsSync(join(code, 'node_modules', name, 'build', 'Release', file))) throw error;
    }
  }
  command(join(code, 'extensions'), 'npm', 'install', ...quiet);
  const bin = join(code, 'node_modules', '@vscode', 'ripgrep', 'bin');
  mkdirSync(bin, { recursive: true });
  if (!readdirSync(bin).includes('rg')) symlinkSync(ripgrep(), join(bin, 'rg'));
  symlinkSync('node_modules', join(code, 'node_modules.asar'));
  writeFileSync(complete, '');
  return entry;
}
