import type { Fit } from "../VisionTask.ts"

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Frame {
  readonly width?: number | undefined
  readonly height?: number | undefined
  readonly fit?: Fit | undefined
}

const scaled = ({ width, height }: Size, factor: number): Size => ({
  width: Math.max(1, Math.round(width * factor)),
  height: Math.max(1, Math.round(height * factor))
})

/** How large a picture becomes in a frame, to within a pixel: known before any of it is decoded. */
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
