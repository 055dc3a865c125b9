// The licences of what is bundled: those of MIT and ISC want their text to go with each copy.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The folders of the packages whose files went into a bundle. */
function packages(inputs) {
  const found = new Set();
  for (const file of Object.keys(inputs)) {
    const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
    if (folder !== undefined) found.add(folder);
  }
  return [...found];
}

/** The text of all licences, by name. Rejected where a package brings none. */
export async function notices(here, inputs) {
  const parts = [];
  for (const folder of packages(inputs)) {
    const { name, version, license } = JSON.parse(await readFile(join(here, folder, 'package.json'), 'utf8'));
    const files = (await readdir(join(here, folder))).filter((file) => /^(licen[cs]e|copying|notice|thirdpartynotices)/i.test(file)).sort();
    if (files.length === 0) throw new Error(`${name} has no licence in ${folder}`);
    const texts = await Promise.all(files.map((file) => readFile(join(here, folder, file), 'utf8')));
    parts.push({ name, text: `${name} ${version} (${license})\n\n${texts.map((text) => text.replace(/\r\n/g, '\n').trim()).join('\n\n')}\n` });
  }
  parts.sort((a, b) => (a.name < b.name ? -1 : 1));
  const rule = `\n${'-'.repeat(80)}\n\n`;
  return `This extension contains the following packages.\n${rule}${parts.map(({ text }) => text).join(rule)}`;
}
