// What `liza setup` puts below a person's home folder, as data: setup writes it, `setup --uninstall` takes it away. What a
// later release installs is added here.

/** In the home folder. */
export const FOLDER = '.liza';
/** Folders of the package that are copied there → the mode of their files. */
export const SHIPPED: Readonly<Record<string, number>> = { contracts: 0o644, templates: 0o644, scripts: 0o755 };
/** There, too, and written last: what setup wrote, by its hash, and which version did. */
export const RECORD = '.setup.json';
export const VERSION = 'VERSION';

/** Provider → the file below home that it reads in every project. An activation adds a marked block to it. */
export const GLOBAL_FILES: Readonly<Record<string, string>> = {
  claude: '.claude/CLAUDE.md',
  codex: '.codex/AGENTS.md',
  gemini: '.gemini/GEMINI.md',
  opencode: '.config/opencode/AGENTS.md',
};
/** What the block holds: shipped pages, imported by those providers whose files can, else as text. */
export const PAGES: readonly string[] = ['contracts/CORE.md', 'contracts/PAIRING_MODE.md'];
export const IMPORTING: readonly string[] = ['claude'];
