// Bundles the extension, its panel and its tests, and copies the grammar, which has its home in grammar/textmate.
import { build } from 'esbuild';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { notices } from './notices.mjs';

const here = import.meta.dirname;
const tests = process.argv.includes('--tests');
const production = process.argv.includes('--production');

export const grammars = join(here, '..', '..', 'grammar', 'textmate');

await rm(join(here, 'dist'), { recursive: true, force: true });
await rm(join(here, 'syntaxes'), { recursive: true, force: true });
await mkdir(join(here, 'syntaxes'), { recursive: true });
if (!existsSync(grammars)) throw new Error(`there is no grammar in ${grammars}`);
for (const name of await readdir(grammars)) {
  if (name.endsWith('.tmLanguage.json')) await cp(join(grammars, name), join(here, 'syntaxes', name));
}

const common = { absWorkingDir: here, bundle: true, metafile: true, minify: production, sourcemap: production ? false : 'linked', logLevel: 'warning', legalComments: 'none' };
const extension = await build({
  ...common,
  entryPoints: { extension: join(here, 'src', 'extension.ts') },
  outdir: join(here, 'dist'),
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  external: ['vscode'],
});
const panel = await build({
  ...common,
  entryPoints: { panel: join(here, 'src', 'panel', 'view.ts') },
  outdir: join(here, 'dist'),
  platform: 'browser',
  format: 'iife',
  target: 'chrome122',
});
await writeFile(join(here, 'dist', 'notices.txt'), await notices(here, { ...extension.metafile.inputs, ...panel.metafile.inputs }));
if (tests) {
  const unit = join(here, 'test', 'unit');
  const names = (await readdir(unit)).filter((name) => name.endsWith('.test.ts'));
  await build({
    ...common,
    minify: false,
    sourcemap: 'inline',
    entryPoints: [...names.map((name) => join(unit, name)), join(here, 'test', 'editor', 'main.ts')],
    outbase: join(here, 'test'),
    outdir: join(here, 'dist', 'test'),
    outExtension: { '.js': '.cjs' },
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    packages: 'external',
  });
}
