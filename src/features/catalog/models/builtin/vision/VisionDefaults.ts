/** What the models in worker threads share. */
import { Schema } from "effect"
import * as Money from "#domain/Money.ts"
import { maxPixels } from "#src/features/media/ImageLimits.ts"
import type { Quantities } from "../../Catalog.ts"
import { exactly } from "../BuiltinModel.ts"

/** Runs beyond the threads wait with their pictures on disk. Part of the model's version, so not by machine. */
export const visionDefaults = {
  concurrency: 8,
  maxQueued: 10_000,
  expectedSeconds: 2,
  /** Download (30 s), earlier runs, and its own (60 s). */
  timeoutSeconds: 300
} as const

export const perMegapixel = {
  unit: "megapixel",
  unitPrice: Money.NanoUsd.make(1_000_000n),
  minimumCharge: Money.zero
} as const

export const perImage = (unitPrice: bigint) => ({
  price: { unit: "image", unitPrice: Money.NanoUsd.make(unitPrice), minimumCharge: Money.zero } as const,
  input: Schema.Unknown,
  quantities: (): Quantities => exactly(Money.units(1))
})

/** Megapixels of a size in pixels; the limit if the size is unknown or larger. */
export const megapixels = (pixels: number = maxPixels): Money.Quantity =>
  Money.millionths(Math.min(pixels, maxPixels))
