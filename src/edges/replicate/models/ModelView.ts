/** Models and wrappers of the catalog as models of Replicate's API. */
import { Schema } from "effect"
import * as JsonText from "#domain/JsonText.ts"
import type { Listed } from "#src/features/catalog/CatalogContents.ts"
import * as ListingView from "#src/features/catalog/views/ListingView.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"

/** From 0.3.9 on, a list that is made item by item says so: `x-cog-array-type`. The Python client compares the number. */
const cogVersion = "0.3.9"

const iterator = { "x-cog-array-type": "iterator" }

const VersionBody = Schema.Struct({
  id: Schema.String,
  created_at: DateTime.DateTime,
  cog_version: Schema.String.annotate({ description: "For clients that read schemas by it." }),
  openapi_schema: Schema.Struct({
    openapi: Schema.String,
    info: Schema.Struct({ title: Schema.String, version: Schema.String }),
    paths: Schema.Struct({}),
    components: Schema.Struct({
      schemas: Schema.Struct({
        Input: Schema.Record(Schema.String, Schema.Json),
        Output: Schema.Record(Schema.String, Schema.Json)
      })
    })
  }).annotate({ description: "With the schemas of the input and the output, JSON Schema 2020-12." })
})

export const Version = VersionBody.annotate({
  identifier: "ReplicateModelVersion",
  description: "A model's only version: its current definition."
})

export const Model = Schema.Struct({
  url: Schema.String,
  owner: Schema.String,
  name: Schema.String,
  description: Schema.String,
  visibility: Schema.Literal("public"),
  is_official: Schema.Boolean,
  github_url: Schema.Null,
  paper_url: Schema.Null,
  license_url: Schema.Null,
  cover_image_url: Schema.Null,
  run_count: Schema.Int.annotate({ description: "0: runs are not counted here." }),
  default_example: Schema.Null,
  latest_version: VersionBody
}).annotate({ identifier: "ReplicateModel", description: "A model or a wrapper." })

export const version = (listed: Listed): typeof VersionBody.Type => {
  const { runs, shown } = ListingView.partsOf(listed)
  const { input, output } = ListingView.schemas(listed)
  const isIterator = runs.output?.stream === "items"
  return {
    id: shown.version,
    created_at: DateTime.format(listed.updatedAt),
    cog_version: cogVersion,
    openapi_schema: {
      openapi: "3.1.0",
      info: { title: shown.displayName, version: shown.version },
      paths: {},
      components: {
        schemas: { Input: input, Output: isIterator ? JsonText.edit(output, { set: iterator }) : output }
      }
    }
  }
}

/** @param baseUrl where the model is described. */
export const record = (baseUrl: string, listed: Listed): typeof Model.Type => {
  const { shown } = ListingView.partsOf(listed)
  const [owner = "", name = ""] = shown.endpoint.split("/")
  return {
    url: `${baseUrl}/models/${shown.endpoint}`,
    owner,
    name,
    description: shown.description,
    visibility: "public",
    is_official: true,
    github_url: null,
    paper_url: null,
    license_url: null,
    cover_image_url: null,
    run_count: 0,
    default_example: null,
    latest_version: version(listed)
  }
}

/** A deployment of that name. */
export const deployment = (listed: Listed) => {
  const { runs, shown } = ListingView.partsOf(listed)
  const [owner = "", name = ""] = shown.endpoint.split("/")
  return {
    owner,
    name,
    current_release: {
      number: 1,
      model: shown.endpoint,
      version: shown.version,
      created_at: DateTime.format(listed.updatedAt),
      configuration: { hardware: "hidden" as const, min_instances: 0, max_instances: runs.concurrency }
    }
  }
}

export const Deployment = Schema.Struct({
  owner: Schema.String,
  name: Schema.String,
  current_release: Schema.Struct({
    number: Schema.Literal(1),
    model: Schema.String,
    version: Schema.String,
    created_at: DateTime.DateTime,
    configuration: Schema.Struct({
      hardware: Schema.Literal("hidden"),
      min_instances: Schema.Int,
      max_instances: Schema.Int.annotate({ description: "The most runs at once." })
    })
  })
}).annotate({ identifier: "ReplicateDeployment", description: "The model of that name, as a deployment." })
