/** A kind of GPU for deployments. */
import { Schema } from "effect"
import { NanoUsd } from "../Money.ts"
import { Slug } from "./Collection.ts"

export const Gpu = Schema.Struct({
  id: Slug,
  name: Schema.String,
  manufacturer: Schema.String,
  memoryGb: Schema.Int,
  pricePerHour: NanoUsd,
  availability: Schema.Literals(["available", "limited", "unavailable"]),
  /** The most GPUs in one deployment. */
  maxCount: Schema.Int
})
export type Gpu = typeof Gpu.Type
