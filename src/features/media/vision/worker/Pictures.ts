/** What sharp does for the models. Only in worker threads, after `Libvips` is loaded. */
import sharp, { type Sharp } from "sharp"
import { maxPixels, maxSide } from "../../ImageLimits.ts"
import type {
  DrawTask,
  Encoded,
  EncodeTask,
  Hashed,
  HashTask,
  OutputFormat,
  ShrinkTask,
  Fit
} from "../VisionTask.ts"
import * as Blurhash from "./Blurhash.ts"
import { PictureError, refuseAs } from "./PictureError.ts"

interface Size {
  readonly width: number
  readonly height: number
}

interface Frame {
  readonly width?: number | undefined
  readonly height?: number | undefined
  readonly fit?: Fit | undefined
}

const scaled = ({ width, height }: Size, factor: number): Size => ({
  width: Math.max(1, Math.round(width * factor)),
  height: Math.max(1, Math.round(height * factor))
})

/** The size of a picture in a frame, to within a pixel, before it is decoded. */
export const outputSize = (picture: Size, { width, height, fit = "cover" }: Frame): Size => {
  if (fit === "fill") return { width: width ?? picture.width, height: height ?? picture.height }
  if (width === undefined) {
    return height === undefined ? picture : { ...scaled(picture, height / picture.height), height }
  }
  if (height === undefined) return { ...scaled(picture, width / picture.width), width }
  const factors = [width / picture.width, height / picture.height]
  switch (fit) {
    case "cover":
    case "contain":
      return { width, height }
    case "inside":
      return scaled(picture, Math.min(...factors))
    case "outside":
      return scaled(picture, Math.max(...factors))
  }
}

/** Below the worker's deadline, so that uninterruptible native code ends by itself. */
const timeout = { seconds: 55 }

/** Side of the picture that a BlurHash is made of: it holds no finer detail. */
const hashSide = 64

const white = "#ffffff"

const open = (path: string) => sharp(path, { limitInputPixels: maxPixels, failOn: "error" }).timeout(timeout)

export interface Inspected extends Size {
  readonly format: string
}

/** Shown size and format, from the header. Throws a `PictureError` for a picture beyond the limit. */
export const inspect = async (path: string): Promise<Inspected> => {
  const { autoOrient, format } = await sharp(path, { limitInputPixels: false })
    .metadata()
    .catch(refuseAs("unreadable"))
  if (autoOrient.width * autoOrient.height > maxPixels) throw new PictureError("too_many_pixels")
  return { ...autoOrient, format }
}

const requireWritable = ({ width, height }: Size): void => {
  if (width > maxSide || height > maxSide || width * height > maxPixels)
    throw new PictureError("output_too_large")
}

const formatOf = (format: string): OutputFormat => {
  if (format === "jpeg" || format === "webp") return format
  return format === "heif" ? "avif" : "png"
}

const written = (image: Sharp, format: OutputFormat, quality?: number): Sharp => {
  const options = quality === undefined ? {} : { quality }
  switch (format) {
    case "png":
      return image.png()
    case "jpeg":
      return image.flatten({ background: white }).jpeg(options)
    case "webp":
      return image.webp(options)
    case "avif":
      return image.avif({ ...options, effort: 2 })
  }
}

/** Decoding and encoding are one pass; a second look at the picture shows which of them failed. */
const failureOf = (path: string) => async (cause: unknown) => {
  const isReadable = await open(path)
    .stats()
    .then(
      () => true,
      () => false
    )
  return refuseAs(isReadable ? "not_encodable" : "unreadable")(cause)
}

export const encode = async (task: EncodeTask): Promise<Encoded> => {
  const picture = await inspect(task.input)
  requireWritable(outputSize(picture, task))
  const format = task.format ?? formatOf(picture.format)
  const upright = open(task.input).autoOrient()
  const frame = {
    ...(task.width !== undefined && { width: task.width }),
    ...(task.height !== undefined && { height: task.height }),
    ...(task.fit !== undefined && { fit: task.fit })
  }
  const { width, height, size } = await written(upright.resize(frame), format, task.quality)
    .toFile(task.output)
    .catch(failureOf(task.input))
  return { format, width, height, size }
}

export const shrink = async ({ input, output, side }: ShrinkTask): Promise<Encoded> => {
  await inspect(input)
  const { width, height, size } = await open(input)
    .autoOrient()
    .resize({ width: side, height: side, fit: "inside", withoutEnlargement: true })
    .webp()
    .toFile(output)
    .catch(failureOf(input))
  return { format: "webp", width, height, size }
}

const canvas = ({ width, height, color }: DrawTask): Sharp => {
  try {
    return sharp({ create: { width, height, channels: 4, background: color } })
  } catch (cause) {
    throw new PictureError("unknown_color", cause)
  }
}

export const draw = async (task: DrawTask): Promise<Encoded> => {
  requireWritable(task)
  const { width, height, size } = await canvas(task).timeout(timeout).png().toFile(task.output)
  return { format: "png", width, height, size }
}

export const hash = async ({ input, xComponents, yComponents }: HashTask): Promise<Hashed> => {
  const { width, height } = await inspect(input)
  const { data, info } = await open(input)
    .autoOrient()
    .resize({ width: hashSide, height: hashSide, fit: "inside", withoutEnlargement: true })
    .flatten({ background: white })
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(refuseAs("unreadable"))
  return { blurhash: Blurhash.encode({ ...info, data }, xComponents, yComponents), width, height }
}

/** An upright, grey PNG of at most `side` pixels a side, for reading. */
export const prepareForReading = (path: string, side: number) =>
  open(path)
    .autoOrient()
    .flatten({ background: white })
    .greyscale()
    .resize({ width: side, height: side, fit: "inside", withoutEnlargement: true })
    .png({ compressionLevel: 1 })
    .toBuffer({ resolveWithObject: true })
    .catch(refuseAs("unreadable"))
