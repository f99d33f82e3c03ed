/** Encoder of BlurHash (https://github.com/woltapp/blurhash/blob/master/Algorithm.md). */

export interface Pixels {
  /** sRGB, three bytes a pixel, row by row. */
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

type Color = readonly [red: number, green: number, blue: number]

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~"

const base83 = (value: number, length: number): string => {
  let text = ""
  let rest = value
  for (let index = 0; index < length; index++) {
    text = digits.charAt(rest % 83) + text
    rest = Math.floor(rest / 83)
  }
  return text
}

const toLinear = Float64Array.from({ length: 256 }, (_, value) => {
  const v = value / 255
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4
})

const toSrgb = (value: number): number => {
  const v = Math.max(0, Math.min(1, value))
  return Math.trunc((v <= 0.0031308 ? v * 12.92 : 1.055 * v ** (1 / 2.4) - 0.055) * 255 + 0.5)
}

const clamp = (value: number, highest: number): number => Math.max(0, Math.min(highest, Math.floor(value)))

/** The cosine factor with `i` half-waves across and `j` down. */
const factor = ({ data, width, height }: Pixels, i: number, j: number): Color => {
  const sum = [0, 0, 0] satisfies [number, number, number]
  for (let y = 0; y < height; y++) {
    const down = Math.cos((Math.PI * j * y) / height)
    for (let x = 0; x < width; x++) {
      const basis = Math.cos((Math.PI * i * x) / width) * down
      const offset = 3 * (y * width + x)
      sum[0] += basis * (toLinear[data[offset] ?? 0] ?? 0)
      sum[1] += basis * (toLinear[data[offset + 1] ?? 0] ?? 0)
      sum[2] += basis * (toLinear[data[offset + 2] ?? 0] ?? 0)
    }
  }
  const scale = (i === 0 && j === 0 ? 1 : 2) / (width * height)
  return [sum[0] * scale, sum[1] * scale, sum[2] * scale]
}

const encodeMean = ([red, green, blue]: Color): string =>
  base83((toSrgb(red) << 16) + (toSrgb(green) << 8) + toSrgb(blue), 4)

const encodeDetail = (color: Color, highest: number): string => {
  const [red, green, blue] = color.map((value) => {
    const ratio = value / highest
    return clamp(Math.sign(ratio) * Math.abs(ratio) ** 0.5 * 9 + 9.5, 18)
  })
  return base83((red ?? 0) * 361 + (green ?? 0) * 19 + (blue ?? 0), 2)
}

/** 1 to 9 components each way. */
export const encode = (pixels: Pixels, xComponents: number, yComponents: number): string => {
  const mean = factor(pixels, 0, 0)
  const details: Array<Color> = []
  for (let j = 0; j < yComponents; j++) {
    for (let i = j === 0 ? 1 : 0; i < xComponents; i++) details.push(factor(pixels, i, j))
  }
  const strongest = Math.max(0, ...details.flatMap((color) => color.map(Math.abs)))
  const scale = details.length === 0 ? 0 : clamp(strongest * 166 - 0.5, 82)
  const highest = details.length === 0 ? 1 : (scale + 1) / 166
  return (
    base83(xComponents - 1 + (yComponents - 1) * 9, 1) +
    base83(scale, 1) +
    encodeMean(mean) +
    details.map((color) => encodeDetail(color, highest)).join("")
  )
}
