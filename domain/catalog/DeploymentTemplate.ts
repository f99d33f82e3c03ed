/** What to start on a GPU so that it runs a kind of model. */
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
  /** GPUs that it runs on, of the catalog. */
  gpuIds: Schema.Array(Slug),
  minReplicas: Schema.Int,
  maxReplicas: Schema.Int,
  /** Environment variables. Never a secret. */
  env: Schema.Record(Schema.String, Schema.String),
  /** TCP ports that it listens on. */
  ports: Schema.Array(Schema.Int),
  public: Schema.Boolean
})
export type DeploymentTemplate = typeof DeploymentTemplate.Type
