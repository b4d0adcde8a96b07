type Yaml = typeof import('yaml');

/**
 * The YAML package, on first use: about 60 ms. It is CommonJS; a bundler that splits such a package off gives its module a default export
 * and nothing else, Node gives it both.
 */
export async function loadYaml(): Promise<Yaml> {
  const module = (await import('yaml')) as Yaml & { readonly default?: Yaml };
  return module.default ?? module;
}
