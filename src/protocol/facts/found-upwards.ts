// Names that programs look for in the folders above the one they run in.

import { isTestSettings } from './test-setup.ts';

const words = (text: string): readonly string[] => text.split(' ');

/** Besides settings of test runners: what module resolution, workspaces and builders take from above. */
const NAMES: ReadonlySet<string> = new Set(
  words(
    'node_modules .node_modules .node_libraries tsconfig.json jsconfig.json .pnp.cjs .pnp.js .pnp.loader.mjs ' +
      'lerna.json nx.json turbo.json rush.json deno.json deno.jsonc bunfig.toml .env .browserslistrc ' +
      'eslint.config.js eslint.config.mjs eslint.config.cjs eslint.config.ts biome.json biome.jsonc ' +
      'setup.py uv.toml mypy.ini ruff.toml .python-version gemfile gems.rb .ruby-version rakefile ' +
      'rust-toolchain rust-toolchain.toml clippy.toml go.work ' +
      'settings.gradle settings.gradle.kts directory.build.props directory.build.targets directory.packages.props ' +
      'directory.build.rsp global.json nuget.config module.bazel workspace workspace.bazel dune-project dune-workspace ' +
      'stack.yaml cabal.project justfile .justfile taskfile.yml taskfile.yaml pubspec.yaml analysis_options.yaml',
  ),
);
const PATTERNS = /^\.?(?:babel|swc|eslint|postcss|prettier|nyc|mocha)rc(?:\.\w+)?$|^(?:babel|postcss)\.config\.\w+$/;

export function isFoundUpwards(name: string): boolean {
  const lower = name.toLowerCase();
  return NAMES.has(lower) || PATTERNS.test(lower) || isTestSettings(lower);
}

/** Those in a folder of their own. */
export const NESTED: readonly string[] = words(
  '.cargo/config.toml .cargo/config .mvn/maven.config .mvn/jvm.config .mvn/extensions.xml .bundle/config ' +
    '.gradle/init.gradle .gradle/gradle.properties .dart_tool/package_config.json .config/nextest.toml',
);
