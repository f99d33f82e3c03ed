/** How a picture is zoomed and moved. Points are pixels from the middle of the stage. */

export interface Zoom {
  /** 1: the whole picture fits. */
  readonly scale: number
  readonly x: number
  readonly y: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

export const whole: Zoom = { scale: 1, x: 0, y: 0 }

const largest = 16

/** Zooms by a factor so that the point stays where it is. Never smaller than the whole. */
export const at = (zoom: Zoom, point: Point, factor: number): Zoom => {
  const scale = Math.min(largest, Math.max(1, zoom.scale * factor))
  if (scale === 1) return whole
  const applied = scale / zoom.scale
  return { scale, x: point.x - (point.x - zoom.x) * applied, y: point.y - (point.y - zoom.y) * applied }
}

/** Moves a picture that is larger than the stage. */
export const moved = (zoom: Zoom, x: number, y: number): Zoom =>
  zoom.scale === 1 ? zoom : { ...zoom, x: zoom.x + x, y: zoom.y + y }

/** Two fingers, of which one has moved. */
export const pinched = (zoom: Zoom, fixed: Point, before: Point, now: Point): Zoom => {
  const was = Math.hypot(before.x - fixed.x, before.y - fixed.y)
  return was === 0 ? zoom : at(zoom, fixed, Math.hypot(now.x - fixed.x, now.y - fixed.y) / was)
}
