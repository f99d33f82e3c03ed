/** The definitions of a small catalog, in the form of manifests. */
import type { Collection } from "#domain/catalog/Collection.ts"
import type { DeploymentTemplate } from "#domain/catalog/DeploymentTemplate.ts"
import type { Gpu } from "#domain/catalog/Gpu.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { Wrapper } from "#domain/catalog/Wrapper.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { NanoUsd } from "#domain/Money.ts"
import type { Definitions } from "#src/features/catalog/Publishing.ts"
import * as Version from "#src/features/catalog/models/Version.ts"

const text = { type: "object", properties: { value: { type: "string" } }, required: ["value"] } as const

/** Takes and returns `{ value }` at an `http` provider. Its version follows from the other fields. */
export const model = (endpoint: string, changes: Partial<Model> = {}): Model => {
  const unversioned: Model = {
    endpoint: ModelEndpoint.make(endpoint),
    version: "",
    displayName: endpoint,
    description: "A model for tests.",
    category: "utility",
    tags: [],
    providers: [{ name: "builtin", adapter: "http" }],
    inputSchema: text,
    outputSchema: text,
    exampleInput: { value: "hello" },
    price: { unit: "request", unitPrice: NanoUsd.make(1_000_000n), minimumCharge: NanoUsd.make(0n) },
    expectedSeconds: 1,
    timeoutSeconds: 60,
    concurrency: 4,
    ...changes
  }
  return { ...unversioned, version: Version.ofModel(unversioned) }
}

/** Takes `{ name }` and sends `{ value: "hello <name>" }` to its base model. */
export const wrapper = (endpoint: string, base: string, changes: Partial<Wrapper> = {}): Wrapper => {
  const unversioned: Wrapper = {
    endpoint: ModelEndpoint.make(endpoint),
    version: "",
    displayName: endpoint,
    description: "A wrapper for tests.",
    category: "text",
    tags: [],
    base: ModelEndpoint.make(base),
    template: { value: "hello {{name}}" },
    defaults: {},
    inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    exampleInput: { name: "you" },
    ...changes
  }
  return { ...unversioned, version: Version.ofWrapper(unversioned) }
}

export const collection = (slug: string, models: ReadonlyArray<string> = []): Collection => ({
  slug,
  name: slug,
  description: "A collection for tests.",
  models: models.map((endpoint) => ModelEndpoint.make(endpoint))
})

export const gpu = (id: string, maxCount = 8): Gpu => ({
  id,
  name: id,
  manufacturer: "NVIDIA",
  memoryGb: 24,
  pricePerHour: NanoUsd.make(690_000_000n),
  availability: "available",
  maxCount
})

export const template = (id: string, maxReplicas = 4): DeploymentTemplate => ({
  id,
  name: id,
  description: "A template for tests.",
  category: "text",
  image: "vllm/vllm-openai:v0.10.0",
  gpuIds: [],
  minReplicas: 0,
  maxReplicas,
  env: { MODEL: "qwen" },
  ports: [8000],
  public: false
})

export const definitions = (some: Partial<Definitions>): Definitions => ({
  models: [],
  wrappers: [],
  collections: [],
  gpus: [],
  templates: [],
  ...some
})
