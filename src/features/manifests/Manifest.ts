/** One document of a manifest file, checked by itself: its kind, its fields and their values. */
import { Result, Schema, SchemaIssue } from "effect"
import { isObject, type Json } from "#domain/CanonicalJson.ts"
import * as MemberOrder from "#domain/catalog/MemberOrder.ts"
import { ItemKind } from "#src/features/catalog/Publishing.ts"
import { nearest } from "#src/kernel/text/EditDistance.ts"
import { CollectionManifest, GpuManifest, TemplateManifest } from "./kinds/ListingManifests.ts"
import { ModelManifest } from "./kinds/ModelManifest.ts"
import { WrapperManifest } from "./kinds/WrapperManifest.ts"
import type { Path } from "./Diagnostic.ts"

export type Manifest =
  | typeof ModelManifest.Type
  | typeof WrapperManifest.Type
  | typeof CollectionManifest.Type
  | typeof GpuManifest.Type
  | typeof TemplateManifest.Type

export interface Breach {
  readonly path: Path
  readonly message: string
}

const everyBreach = { errors: "all", onExcessProperty: "error" } as const

const decoders: Readonly<Record<ItemKind, (value: unknown) => Result.Result<Manifest, Schema.SchemaError>>> =
  {
    model: Schema.decodeUnknownResult(ModelManifest, everyBreach),
    wrapper: Schema.decodeUnknownResult(WrapperManifest, everyBreach),
    collection: Schema.decodeUnknownResult(CollectionManifest, everyBreach),
    gpu: Schema.decodeUnknownResult(GpuManifest, everyBreach),
    "deployment-template": Schema.decodeUnknownResult(TemplateManifest, everyBreach)
  }

const stepsOf = (path: ReadonlyArray<PropertyKey>): Path =>
  path.map((step) => (typeof step === "number" ? step : String(step)))

const unknownField = ({ ast }: SchemaIssue.UnexpectedKey, name: string): string => {
  const names = ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
  const meant = nearest(name, names)
  if (meant !== undefined) return `Unknown field: is ${meant} meant?`
  return names.length === 0
    ? "Unknown field: none is expected here"
    : `Unknown field: expected ${names.join(", ")}`
}

const unknownFields = (issue: SchemaIssue.Issue, path: Path): ReadonlyArray<Breach> => {
  switch (issue._tag) {
    case "Pointer":
      return unknownFields(issue.issue, [...path, ...stepsOf(issue.path)])
    case "Filter":
    case "Encoding":
      return unknownFields(issue.issue, path)
    case "Composite":
    case "AnyOf":
      return issue.issues.flatMap((inner) => unknownFields(inner, path))
    case "UnexpectedKey":
      return [{ path, message: unknownField(issue, String(path.at(-1))) }]
    default:
      return []
  }
}

const unexpected = "unexpected"

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "UnexpectedKey") return unexpected
    return issue._tag === "MissingKey" ? "Missing" : SchemaIssue.defaultLeafHook(issue)
  }
})

const stepOf = (step: PropertyKey | { readonly key: PropertyKey }): PropertyKey =>
  typeof step === "object" ? step.key : step

/** For everything that a schema refuses: with hints for field names, without values. */
export const breachesOf = (issue: SchemaIssue.Issue): ReadonlyArray<Breach> => [
  ...unknownFields(issue, []),
  ...format(issue)
    .issues.filter(({ message }) => message !== unexpected)
    .map(({ message, path = [] }) => ({ path: stepsOf(path.map(stepOf)), message }))
]

const isKind = Schema.is(ItemKind)

const expectedKind = `Expected one of ${ItemKind.literals.join(", ")}`

export const decode = (value: Json): Result.Result<Manifest, ReadonlyArray<Breach>> => {
  if (!isObject(value)) return Result.fail([{ path: [], message: "Expected an object with a field kind" }])
  const kind: unknown = value["kind"]
  if (kind === undefined) return Result.fail([{ path: ["kind"], message: `Missing: ${expectedKind}` }])
  if (!isKind(kind)) return Result.fail([{ path: ["kind"], message: expectedKind }])
  return Result.mapBoth(decoders[kind](value), {
    onSuccess: (manifest) => MemberOrder.remembering(manifest, value),
    onFailure: ({ issue }) => breachesOf(issue)
  })
}
