/** Warns of models that have no jobs for workers. They are not refused, because a model may be published after the key. */
import { Effect, Predicate } from "effect"
import { Administration } from "#src/edges/admin/Administration.ts"
import type { ShownItem } from "#src/edges/admin/catalog/CatalogOperations.ts"
import * as Output from "#src/cli/Output.ts"

/** Reads a definition from an event of any release. */
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
  if (status === "withdrawn") return `${name} is withdrawn: it has no jobs`
  if (kind === "wrapper")
    return `${name} is a wrapper: its jobs are those of its base model${baseOf(definition)}`
  return isPulled(definition) ? null : `${name} has no provider of adapter pull: it has no jobs for workers`
}

export const of = Effect.fnUntraced(function* (models: ReadonlyArray<string>) {
  const administration = yield* Administration
  const warnings = yield* Effect.forEach(models, (name) =>
    administration.showItem({ kind: null, name }).pipe(
      Effect.map(warningOf),
      Effect.catchTag(["ItemNotFound", "AmbiguousName"], () =>
        Effect.succeed(`The catalog has no model ${name}: it has no jobs`)
      )
    )
  )
  return warnings.filter(Predicate.isNotNull)
})
