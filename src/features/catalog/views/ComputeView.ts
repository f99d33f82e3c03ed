/** GPUs and deployment templates (decisions, "Platform routes"). */
import { Schema } from "effect"
import { DeploymentTemplate } from "#domain/catalog/DeploymentTemplate.ts"
import { Gpu } from "#domain/catalog/Gpu.ts"
import * as Money from "#domain/Money.ts"
import type { ListedGpu, ListedTemplate } from "../CatalogContents.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as ListView from "#src/platform/views/ListView.ts"
import * as MoneyView from "#src/platform/views/MoneyView.ts"

const gpuExample = {
  id: "l4",
  name: "L4",
  manufacturer: "NVIDIA",
  memoryGb: 24,
  pricePerHour: "0.8",
  currency: "USD",
  availability: "available",
  maxCount: 8
} as const

const GpuBody = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  manufacturer: Schema.String,
  memoryGb: Schema.Int,
  pricePerHour: MoneyView.Money,
  currency: MoneyView.Currency,
  availability: Gpu.fields.availability,
  maxCount: Schema.Int.annotate({ description: "The most GPUs in one deployment." })
}).annotate({ identifier: "Gpu", description: "A kind of GPU.", examples: [gpuExample] })

export const GpusBody = ListView.bodyOf(GpuBody).annotate({
  identifier: "Gpus",
  description: "A page of the GPUs.",
  examples: [{ page: 1, limit: 20, total: 1, totalPages: 1, data: [gpuExample], next: null }]
})

const { image, gpuIds, minReplicas, maxReplicas, category } = DeploymentTemplate.fields

const templateExample = {
  id: "http-worker",
  name: "HTTP worker",
  description: "A container that serves a model by HTTP.",
  category: "image",
  image: "ghcr.io/example/worker:1",
  gpuIds: ["l4"],
  minReplicas: 0,
  maxReplicas: 4,
  env: { LOG_LEVEL: "info" },
  ports: [8080],
  public: true,
  createdAt: "2026-01-05T12:00:00.000Z"
} as const

export const TemplateBody = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: Schema.String,
  category,
  image,
  gpuIds: gpuIds.annotate({ description: "GPUs that it runs on, as in `GET /gpus`." }),
  minReplicas,
  maxReplicas,
  env: Schema.Record(Schema.String, Schema.String).annotate({ description: "Environment variables." }),
  ports: Schema.Array(Schema.Int).annotate({ description: "TCP ports that it listens on." }),
  public: Schema.Boolean,
  createdAt: DateTime.DateTime
}).annotate({
  identifier: "DeploymentTemplate",
  description: "What to start on a GPU so that it runs a kind of model.",
  examples: [templateExample]
})

export const TemplatesBody = ListView.bodyOf(TemplateBody).annotate({
  identifier: "DeploymentTemplates",
  description: "A page of the public deployment templates.",
  examples: [{ page: 1, limit: 20, total: 1, totalPages: 1, data: [templateExample], next: null }]
})

export const gpu = ({ gpu: { pricePerHour, ...rest } }: ListedGpu): typeof GpuBody.Type => ({
  id: rest.id,
  name: rest.name,
  manufacturer: rest.manufacturer,
  memoryGb: rest.memoryGb,
  pricePerHour: Money.format(pricePerHour),
  currency: MoneyView.currency,
  availability: rest.availability,
  maxCount: rest.maxCount
})

export const template = ({ createdAt, template }: ListedTemplate): typeof TemplateBody.Type => ({
  ...template,
  createdAt: DateTime.format(createdAt)
})
