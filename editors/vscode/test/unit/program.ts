/** The program `ctrc` that tests run: `CTRC`, else the one that was built last in the repository. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder of the extension; tests run in it. */
export const HERE = process.cwd();
export const REPOSITORY = join(HERE, '..', '..');

function find(): string | undefined {
  const given = process.env.CTRC;
  if (given !== undefined && given !== '') return given;
  const target = process.env.CARGO_TARGET_DIR ?? join(REPOSITORY, 'target');
  const built = [join(target, 'debug', 'ctrc'), join(target, 'release', 'ctrc')].filter((file) => existsSync(file));
  const age = (file: string): number => statSync(file).mtimeMs;
  return built.sort((a, b) => age(b) - age(a))[0];
}

export const CTRC = find() ?? '';
/** Why tests with the program are left out, or `false`. */
export const WITHOUT_CTRC: string | false = CTRC === '' ? 'SKIPPED: ctrc is not built (cargo build -p ctrc, or CTRC=...)' : false;

/** Whether it has the language server. */
export function serves(): boolean {
  if (CTRC === '') return false;
  try {
    execFileSync(CTRC, ['lsp', '--help'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A new folder with these files. */
export function folder(files: Record<string, string>): string {
  const at = mkdtempSync(join(tmpdir(), 'ctrc-vscode-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text);
  return at;
}

/** Runs the program and gives what it wrote. */
export function run(cwd: string, ...args: string[]): { out: string; err: string; code: number | null } {
  const { stdout, stderr, status } = spawnSync(CTRC, args, { cwd, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
  return { out: stdout, err: stderr, code: status };
}
