/** The catalog's items as its rows store them. */
import { Result, Schema } from "effect"
import { stringify } from "#domain/CanonicalJson.ts"
import { Collection } from "#domain/catalog/Collection.ts"
import { DeploymentTemplate } from "#domain/catalog/DeploymentTemplate.ts"
import { Gpu } from "#domain/catalog/Gpu.ts"
import * as MemberOrder from "#domain/catalog/MemberOrder.ts"
import { Model } from "#domain/catalog/Model.ts"
import { Wrapper } from "#domain/catalog/Wrapper.ts"
import type { CatalogRow, VersionRow } from "#projections/catalog/CatalogRows.ts"

interface Stored {
  readonly name: string
  readonly status: CatalogRow["status"]
  readonly createdAt: number
  readonly updatedAt: number
  /** Changes whenever the shown contents do. */
  readonly mark: string
}

type Definition =
  | { readonly kind: "model"; readonly model: Model }
  | { readonly kind: "wrapper"; readonly wrapper: Wrapper }
  | { readonly kind: "collection"; readonly collection: Collection }
  | { readonly kind: "gpu"; readonly gpu: Gpu }
  | { readonly kind: "deployment-template"; readonly template: DeploymentTemplate }

export type Runnable = Extract<Definition, { readonly kind: "model" | "wrapper" }>

export type Item = Definition & Stored

/** Models and wrappers share their names; other kinds have their own. */
export const keyOf = ({ kind, name }: Pick<CatalogRow, "kind" | "name">): string =>
  kind === "model" || kind === "wrapper" ? `endpoint ${name}` : `${kind} ${name}`

export const keyOfEndpoint = (endpoint: string): string => `endpoint ${endpoint}`

const decodeModel = Schema.decodeUnknownResult(Model)
const decodeWrapper = Schema.decodeUnknownResult(Wrapper)
const decodeCollection = Schema.decodeUnknownResult(Collection)
const decodeGpu = Schema.decodeUnknownResult(Gpu)
const decodeTemplate = Schema.decodeUnknownResult(DeploymentTemplate)

export const runnable = ({ definition, kind }: VersionRow): Result.Result<Runnable, Schema.SchemaError> =>
  kind === "model"
    ? Result.map(decodeModel(definition), (model) => ({
        kind,
        model: MemberOrder.remembering(model, definition)
      }))
    : Result.map(decodeWrapper(definition), (wrapper) => ({
        kind,
        wrapper: MemberOrder.remembering(wrapper, definition)
      }))

const definitionOf = ({
  definition,
  kind
}: Pick<CatalogRow, "definition" | "kind">): Result.Result<Definition, Schema.SchemaError> => {
  switch (kind) {
    case "model":
    case "wrapper":
      return runnable({ definition, kind })
    case "collection":
      return Result.map(decodeCollection(definition), (collection) => ({ kind, collection }))
    case "gpu":
      return Result.map(decodeGpu(definition), (gpu) => ({ kind, gpu }))
    case "deployment-template":
      return Result.map(decodeTemplate(definition), (template) => ({ kind, template }))
  }
}

/** Fails for a definition in an unknown form. */
export const itemOf = (row: CatalogRow): Result.Result<Item, Schema.SchemaError> => {
  const { createdAt, definition, name, status, updatedAt, version } = row
  const content = version ?? stringify(definition)
  const mark = JSON.stringify([row.kind, name, content, status, createdAt, updatedAt])
  return Result.map(definitionOf(row), (decoded) => ({
    ...decoded,
    name,
    status,
    createdAt,
    updatedAt,
    mark
  }))
}
