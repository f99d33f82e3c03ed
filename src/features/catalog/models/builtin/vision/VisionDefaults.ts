/** What the models that run in worker threads have in common. */
import * as Money from "#domain/Money.ts"
import { maxPixels } from "#src/features/media/ImageLimits.ts"
import type { Quantities } from "../../Catalog.ts"
import { exactly } from "../BuiltinModel.ts"

/**
 * A run beyond the worker threads waits for one of them with its picture on disk, so the limit is a few per thread. It
 * is the same on every machine, because a model's version must not depend on the machine.
 */
export const visionDefaults = {
  concurrency: 8,
  maxQueued: 10_000,
  expectedSeconds: 2,
  /** Download (30 s), the turns of the runs before it, and its own (60 s). */
  timeoutSeconds: 300
} as const

export const perMegapixel = {
  unit: "megapixel",
  unitPrice: Money.NanoUsd.make(1_000_000n),
  minimumCharge: Money.zero
} as const

export const perImage = (unitPrice: bigint) => ({
  price: { unit: "image", unitPrice: Money.NanoUsd.make(unitPrice), minimumCharge: Money.zero } as const,
  quantities: (): Quantities => exactly(Money.units(1))
})

/** Megapixels of a picture that is told in pixels; the limit of an output when it is not known or above. */
export const megapixels = (pixels: number = maxPixels): Money.Quantity =>
  Money.millionths(Math.min(pixels, maxPixels))
