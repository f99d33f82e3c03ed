/** What worker threads are asked, and what they answer. Tasks and answers are copied between threads as plain values. */
import { Schema } from "effect"

/** How a picture is made to fit width and height; as sharp and CSS `object-fit` have it. */
export const Fit = Schema.Literals(["cover", "contain", "fill", "inside", "outside"])
export type Fit = typeof Fit.Type

export const OutputFormat = Schema.Literals(["png", "jpeg", "webp", "avif"])
export type OutputFormat = typeof OutputFormat.Type

export interface EncodeTask {
  readonly _tag: "Encode"
  /** Path of the picture. */
  readonly input: string
  /** Path that the new picture is written to. */
  readonly output: string
  readonly width?: number | undefined
  readonly height?: number | undefined
  readonly fit?: Fit | undefined
  /** The input's own, or PNG, when not given. */
  readonly format?: OutputFormat | undefined
  /** 1..100; without effect on PNG. */
  readonly quality?: number | undefined
}

export interface ShrinkTask {
  readonly _tag: "Shrink"
  readonly input: string
  /** Path that a WebP is written to. */
  readonly output: string
  /** Longest side in pixels. A picture that is smaller keeps its size. */
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
  /** Bytes. */
  size: Schema.Int
})
export type Encoded = typeof Encoded.Type

/** Width and height are those of the picture, not of the hash. */
export const Hashed = Schema.Struct({ blurhash: Schema.String, width: Schema.Int, height: Schema.Int })
export type Hashed = typeof Hashed.Type

/** Confidences are 0..100, boxes in pixels of the picture as it is shown. */
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

/** The picture or what is asked of it is at fault. */
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
