/** Resolves this program's imports by name alone, which saves a third of a start (docs/decisions/0035). */
import type { ResolveFnOutput, ResolveHookContext } from "node:module"

type Resolve = (specifier: string, context?: Partial<ResolveHookContext>) => ResolveFnOutput

const root = new URL("../../..", import.meta.url).href
const packages = `${root}node_modules/`

/** Packages of ES modules whose relative imports name files. */
const ofModules = ["effect", "@effect/platform-node", "@effect/platform-node-shared"].map(
  (name) => `${packages}${name}/dist/`
)

const found = (url: string, format: string): ResolveFnOutput => ({ url, format, shortCircuit: true })

/** A hook of `module.registerHooks`. Unknown imports are left to Node. */
export const make = (): ((
  specifier: string,
  context: ResolveHookContext,
  next: Resolve
) => ResolveFnOutput) => {
  /** Resolved package imports of our modules. They are the same for every module, since all are in one tree. */
  const imported = new Map<string, ResolveFnOutput>()
  return (specifier, context, next) => {
    const importer = context.parentURL
    if (importer === undefined || !importer.startsWith(root)) return next(specifier, context)
    const isRelative = specifier.startsWith(".")
    if (importer.startsWith(packages)) {
      return isRelative && specifier.endsWith(".js") && ofModules.some((place) => importer.startsWith(place))
        ? found(new URL(specifier, importer).href, "module")
        : next(specifier, context)
    }
    if (specifier.endsWith(".ts")) {
      // The `imports` of package.json: "#src/Resolution.ts" is "./src/Resolution.ts".
      if (specifier.startsWith("#")) return found(root + specifier.slice(1), "module-typescript")
      if (isRelative) return found(new URL(specifier, importer).href, "module-typescript")
    }
    if (isRelative || !context.conditions.includes("import")) return next(specifier, context)
    const known = imported.get(specifier)
    if (known !== undefined) return known
    const resolved = next(specifier, context)
    imported.set(specifier, { ...resolved, shortCircuit: true })
    return resolved
  }
}
