/** The messages to and from worker threads, copied as plain values. */
import { Schema } from "effect"

/** How a picture fits into width and height, as in sharp and CSS `object-fit`. */
export const Fit = Schema.Literals(["cover", "contain", "fill", "inside", "outside"])
export type Fit = typeof Fit.Type

export const OutputFormat = Schema.Literals(["png", "jpeg", "webp", "avif"])
export type OutputFormat = typeof OutputFormat.Type

export interface EncodeTask {
  readonly _tag: "Encode"
  /** Path of the picture. */
  readonly input: string
  /** Path of the new picture. */
  readonly output: string
  readonly width?: number | undefined
  readonly height?: number | undefined
  readonly fit?: Fit | undefined
  /** By default the input's format, or PNG. */
  readonly format?: OutputFormat | undefined
  /** 1 to 100; no effect on PNG. */
  readonly quality?: number | undefined
}

export interface ShrinkTask {
  readonly _tag: "Shrink"
  readonly input: string
  /** Path of the WebP. */
  readonly output: string
  /** Longest side in pixels. A smaller picture keeps its size. */
  readonly side: number
}

export interface DrawTask {
  readonly _tag: "Draw"
  readonly output: string
  readonly width: number
  readonly height: number
  /** Any CSS colour. */
  readonly color: string
}

export interface HashTask {
  readonly _tag: "Hash"
  readonly input: string
  readonly xComponents: number
  readonly yComponents: number
}

export interface ReadTask {
  readonly _tag: "Read"
  readonly input: string
}

export type VisionTask = EncodeTask | ShrinkTask | DrawTask | HashTask | ReadTask

export const Encoded = Schema.Struct({
  format: OutputFormat,
  width: Schema.Int,
  height: Schema.Int,
  size: Schema.Int
})
export type Encoded = typeof Encoded.Type

/** Width and height of the picture, not of the hash. */
export const Hashed = Schema.Struct({ blurhash: Schema.String, width: Schema.Int, height: Schema.Int })
export type Hashed = typeof Hashed.Type

/** Confidences are 0 to 100, boxes in pixels of the picture as shown. */
export const Recognized = Schema.Struct({
  text: Schema.String,
  confidence: Schema.Number,
  words: Schema.Array(
    Schema.Struct({
      text: Schema.String,
      confidence: Schema.Number,
      box: Schema.Struct({
        x: Schema.Int,
        y: Schema.Int,
        width: Schema.Int,
        height: Schema.Int
      })
    })
  )
})
export type Recognized = typeof Recognized.Type

/** The picture or the parameters are at fault. */
export const Objection = Schema.Literals([
  "unreadable",
  "too_many_pixels",
  "output_too_large",
  "unknown_color",
  "not_encodable"
])
export type Objection = typeof Objection.Type

export type Answer =
  | { readonly _tag: "Done"; readonly value: unknown }
  | { readonly _tag: "Refused"; readonly reason: Objection }
