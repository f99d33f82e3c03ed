/** Style sheets of the server's own pages, over the tokens of the design system (docs/design.md). */
import { dark, light } from "./DesignTokens.ts"

const declared = (names: ReadonlyArray<string>, values: Readonly<Record<string, string>>): string =>
  names
    .filter((name) => values[name] !== undefined)
    .map((name) => `  --${name}: ${values[name]};`)
    .join("\n")

/**
 * Declares the tokens that `rules` use, for both schemes. Throws on a name that is no token.
 *
 * @param scheme what sets the scheme; by default the system
 */
export const sheet = (rules: string, scheme?: { readonly dark: string }): string => {
  const names = [...new Set([...rules.matchAll(/var\(--([\w-]+)\)/g)].map(([, name = ""]) => name))]
  const unknown = names.filter((name) => light[name] === undefined)
  if (unknown.length > 0) throw new Error(`No tokens of the design system: ${unknown.join(", ")}`)
  const inDark = declared(names, dark)
  const always = `:root {\n  color-scheme: light dark;\n${declared(names, light)}\n}`
  return scheme === undefined
    ? `\n${always}\n@media (prefers-color-scheme: dark) {\n:root {\n${inDark}\n}\n}`
    : `\n${always}\n${scheme.dark} {\n${inDark}\n}`
}
