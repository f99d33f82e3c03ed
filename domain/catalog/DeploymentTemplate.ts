/** What to start on a GPU to run a kind of model. */
import { Schema } from "effect"
import { Slug } from "./Collection.ts"
import { Category } from "./Model.ts"

export const DeploymentTemplate = Schema.Struct({
  id: Slug,
  name: Schema.String,
  description: Schema.String,
  category: Category,
  /** Container image. */
  image: Schema.String,
  /** Ids of GPUs in the catalog that it runs on. */
  gpuIds: Schema.Array(Slug),
  minReplicas: Schema.Int,
  maxReplicas: Schema.Int,
  /** Environment variables. Never secrets. */
  env: Schema.Record(Schema.String, Schema.String),
  /** TCP ports that the container listens on. */
  ports: Schema.Array(Schema.Int),
  public: Schema.Boolean
})
export type DeploymentTemplate = typeof DeploymentTemplate.Type
