/** Models of a new worker key that no worker gets jobs of. They are told and not refused: models may come later than keys. */
import { Effect, Predicate } from "effect"
import { Administration } from "#src/edges/admin/Administration.ts"
import type { ShownItem } from "#src/edges/admin/catalog/CatalogOperations.ts"
import * as Output from "#src/cli/Output.ts"

/** Of a definition as the log holds it, of whatever release. */
const isPulled = (definition: unknown): boolean => {
  const providers = Predicate.hasProperty(definition, "providers") ? definition.providers : null
  return (
    Array.isArray(providers) &&
    providers.some((binding) => Predicate.hasProperty(binding, "adapter") && binding.adapter === "pull")
  )
}

const baseOf = (definition: unknown): string =>
  Predicate.hasProperty(definition, "base") && typeof definition.base === "string"
    ? ` ${Output.printable(definition.base)}`
    : ""

const warningOf = ({ definition, kind, name, status }: ShownItem): string | null => {
  if (status === "withdrawn") return `${name} is withdrawn: there are no jobs of it`
  if (kind === "wrapper")
    return `${name} is a wrapper: its jobs are those of its base model${baseOf(definition)}`
  return isPulled(definition) ? null : `${name} has no provider of adapter pull: workers get no jobs of it`
}

export const of = Effect.fnUntraced(function* (models: ReadonlyArray<string>) {
  const administration = yield* Administration
  const warnings = yield* Effect.forEach(models, (name) =>
    administration.showItem({ kind: null, name }).pipe(
      Effect.map(warningOf),
      Effect.catchTag(["ItemNotFound", "AmbiguousName"], () =>
        Effect.succeed(`The catalog has no ${name}: there are no jobs of it`)
      )
    )
  )
  return warnings.filter(Predicate.isNotNull)
})
