/**
 * Which rows of a long list are in sight, and where they are drawn. Browsers limit the height of an element to some 17 million
 * pixels, so the scrolled area of a longer list is shorter than its rows: a small movement moves the rows by as much, and a
 * large one, such as a drag of the scroll bar, leads to the same share of the list.
 */

/** The most that the scrolled area is high, px. Every browser draws this. */
export const mostHeight = 8_000_000

export interface Extent {
  readonly count: number
  /** px */
  readonly rowHeight: number
  /** Of the part that scrolls, px. */
  readonly viewHeight: number
}

export interface Place {
  /** Where the area is scrolled to, px. */
  readonly scrollTop: number
  /** The first pixel of the list in sight, as if it had its full height, px. */
  readonly top: number
}

export const start: Place = { scrollTop: 0, top: 0 }

const listHeight = ({ count, rowHeight }: Extent) => count * rowHeight

/** Of the scrolled area, px. */
export const areaHeight = (extent: Extent): number => Math.min(listHeight(extent), mostHeight)

const mostTop = (extent: Extent) => Math.max(listHeight(extent) - extent.viewHeight, 0)
const mostScroll = (extent: Extent) => Math.max(areaHeight(extent) - extent.viewHeight, 0)

const within = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most)

/** Whether the area is shorter than the list. */
const isScaled = (extent: Extent) => listHeight(extent) > mostHeight

/** The place with that part of the list in sight, at the same share of the area. */
export const at = (top: number, extent: Extent): Place => {
  const bounded = within(top, 0, mostTop(extent))
  if (!isScaled(extent)) return { top: bounded, scrollTop: bounded }
  return { top: bounded, scrollTop: (bounded / mostTop(extent)) * mostScroll(extent) }
}

/** The place after the reader has scrolled the area to `scrollTop`. */
export const scrolled = (before: Place, scrollTop: number, extent: Extent): Place => {
  if (!isScaled(extent)) return { scrollTop, top: within(scrollTop, 0, mostTop(extent)) }
  const share = within(scrollTop / mostScroll(extent), 0, 1)
  const move = scrollTop - before.scrollTop
  const isDragged = Math.abs(move) > extent.viewHeight * 2
  if (isDragged || share === 0 || share === 1) return { scrollTop, top: share * mostTop(extent) }
  return { scrollTop, top: within(before.top + move, 0, mostTop(extent)) }
}

export interface Rows {
  /** The first row that is drawn. */
  readonly first: number
  /** The row after the last that is drawn. */
  readonly end: number
  /** Where the first one is drawn in the area, px. */
  readonly offset: number
}

/** The rows in sight, and `spare` more before and behind them. */
export const rowsAt = ({ scrollTop, top }: Place, extent: Extent, spare = 8): Rows => {
  const { count, rowHeight, viewHeight } = extent
  const first = within(Math.floor(top / rowHeight) - spare, 0, count)
  const end = within(Math.ceil((top + viewHeight) / rowHeight) + spare, first, count)
  return { first, end, offset: scrollTop - top + first * rowHeight }
}

/** The place that has the row in sight, moved no further than it takes. */
export const revealing = (row: number, place: Place, extent: Extent): Place => {
  const from = row * extent.rowHeight
  const to = from + extent.rowHeight
  if (from < place.top) return at(from, extent)
  return to > place.top + extent.viewHeight ? at(to - extent.viewHeight, extent) : place
}
