/** The items that tests of the catalog routes publish, beside those that ship with the server. */
import { Effect } from "effect"
import type { Collection } from "#domain/catalog/Collection.ts"
import type { DeploymentTemplate } from "#domain/catalog/DeploymentTemplate.ts"
import type { Gpu } from "#domain/catalog/Gpu.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as Money from "#domain/Money.ts"
import { type Definitions, Publishing } from "#src/features/catalog/Publishing.ts"
import { echo } from "#src/features/catalog/models/builtin/sandbox/Echo.ts"
import * as Version from "#src/features/catalog/models/Version.ts"
import { send } from "#test/support/HttpProbe.ts"
import { TestServer } from "#test/support/TestServer.ts"

export const model = (endpoint: string, fields: Partial<Model> = {}): Model => {
  const made = { ...echo.model, endpoint: ModelEndpoint.make(endpoint), version: "", ...fields }
  return { ...made, version: Version.ofModel(made) }
}

export const wrapper = (endpoint: string, fields: Partial<Wrapper> = {}): Wrapper => {
  const made: Wrapper = {
    endpoint: ModelEndpoint.make(endpoint),
    version: "",
    displayName: "Greeting",
    description: "Says hello.",
    category: "text",
    tags: ["greeting"],
    base: ModelEndpoint.make("sandbox/echo"),
    template: { value: "Hello, {{name}}!" },
    defaults: { name: "world" },
    inputSchema: { type: "object", properties: { name: { type: "string" } }, additionalProperties: false },
    exampleInput: { name: "Ada" },
    ...fields
  }
  return { ...made, version: Version.ofWrapper(made) }
}

export const collection = (slug: string, models: ReadonlyArray<string>): Collection => ({
  slug,
  name: `Collection ${slug}`,
  description: "For tests.",
  models: models.map((endpoint) => ModelEndpoint.make(endpoint))
})

export const gpu = (id: string): Gpu => ({
  id,
  name: id.toUpperCase(),
  manufacturer: "Acme",
  memoryGb: 24,
  pricePerHour: Money.NanoUsd.make(812_500_000n),
  availability: "limited",
  maxCount: 8
})

export const template = (id: string, isPublic: boolean): DeploymentTemplate => ({
  id,
  name: id,
  description: "For tests.",
  category: "image",
  image: "acme/worker:1",
  gpuIds: ["acme-1"],
  minReplicas: 0,
  maxReplicas: 2,
  env: { MODE: "test" },
  ports: [8080],
  public: isPublic
})

const nothing: Definitions = { models: [], wrappers: [], collections: [], gpus: [], templates: [] }

export const publish = (definitions: Partial<Definitions>) =>
  Effect.flatMap(Publishing, (publishing) =>
    publishing.publish({ ...nothing, ...definitions }, { source: "test", reactivates: true })
  )

/** Without a key. */
export const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  Effect.flatMap(TestServer, ({ port }) => send(port, { method, path, headers }))

/** The body, if it is an object. */
export const body = (path: string) => Effect.map(get(path), ({ json }) => Object(json))

/** `field` of each item of a list. */
export const names = (list: unknown, field = "modelEndpoint"): ReadonlyArray<unknown> =>
  Array.isArray(list) ? list.map((item) => Reflect.get(Object(item), field)) : []
