// Which files are tests where the settings do not say. A file of its own: the settings need no more of what a scope is.

export const DEFAULT_TEST_PATTERNS = [
  '**/test/**',
  '**/tests/**',
  '**/__tests__/**',
  '**/*.test.*',
  '**/*.spec.*',
  '**/*_test.*',
  '**/test_*',
  '**/test.*',
  '**/tests.*',
  '**/*Test.*',
  '**/*Tests.*',
  '**/*Spec.*',
  '**/*_spec.*',
  // Others keep documents in a folder of this name.
  '**/spec/**/*.rb',
] as const;
