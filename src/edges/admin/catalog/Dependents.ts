/** The items of the catalog that a withdrawn item affects. */
import { Predicate } from "effect"
import type { CatalogRow } from "#projections/catalog/CatalogRows.ts"
import type { ItemName } from "./CatalogOperations.ts"

/** Definitions come from events, so this release may not know their form. */
const member = (definition: unknown, name: string): unknown =>
  Predicate.hasProperty(definition, name) ? definition[name] : undefined

const lists = (definition: unknown, name: string, wanted: ReadonlySet<string>): boolean => {
  const listed = member(definition, name)
  return Array.isArray(listed) && listed.some((one) => wanted.has(one))
}

const nameOf = ({ kind, name }: CatalogRow): ItemName => ({ kind, name })

/**
 * For a model: its wrappers, which cannot run without it, and the collections that list it or them. For a wrapper: its
 * collections. For a GPU: its deployment templates. Withdrawn items are not dependents.
 */
export const of = (rows: ReadonlyArray<CatalogRow>, { kind, name }: ItemName): ReadonlyArray<ItemName> => {
  const present = rows.filter(({ status }) => status !== "withdrawn")
  const ofKind = (wanted: ItemName["kind"]) => present.filter((row) => row.kind === wanted)
  if (kind === "gpu") {
    const gpu = new Set([name])
    return ofKind("deployment-template")
      .filter(({ definition }) => lists(definition, "gpuIds", gpu))
      .map(nameOf)
  }
  if (kind !== "model" && kind !== "wrapper") return []
  const wrappers = ofKind("wrapper").filter(({ definition }) => member(definition, "base") === name)
  const gone = new Set([name, ...wrappers.map((wrapper) => wrapper.name)])
  const collections = ofKind("collection").filter(({ definition }) => lists(definition, "models", gone))
  return [...wrappers, ...collections].map(nameOf)
}
