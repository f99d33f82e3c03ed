/** Ties a `RowWindow` to an element that scrolls. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"
import * as RowWindow from "./RowWindow.ts"

/** Heights of a row, px. On narrow windows it has two lines, and for fingers it is higher. */
const heights = { usual: 40, coarse: 48, narrow: 64 }

const narrow = window.matchMedia("(max-width: 40rem)")
const coarse = window.matchMedia("(pointer: coarse)")

const heightNow = () => (narrow.matches ? heights.narrow : coarse.matches ? heights.coarse : heights.usual)

const useRowHeight = (): number => {
  const [height, setHeight] = useState(heightNow)
  useEffect(() => {
    const change = () => setHeight(heightNow())
    narrow.addEventListener("change", change)
    coarse.addEventListener("change", change)
    return () => {
      narrow.removeEventListener("change", change)
      coarse.removeEventListener("change", change)
    }
  }, [])
  return height
}

/** The height of what scrolls, without the header that stays. */
const useViewHeight = (scroller: RefObject<HTMLElement | null>): number => {
  const [height, setHeight] = useState(0)
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const measure = () =>
      setHeight(Math.max(element.clientHeight - (element.firstElementChild?.clientHeight ?? 0), 0))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller])
  return height
}

/** How long after the last movement the scroll bar is put to the share of the list that is in sight, ms. */
const settlingMs = 200

export const useRowWindow = (count: number) => {
  const scroller = useRef<HTMLDivElement>(null)
  const rowHeight = useRowHeight()
  const viewHeight = useViewHeight(scroller)
  const [place, setPlace] = useState(RowWindow.start)
  const latest = useRef(place)
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined)
  const extent = useMemo(() => ({ count, rowHeight, viewHeight }), [count, rowHeight, viewHeight])

  const go = useCallback((next: RowWindow.Place) => {
    latest.current = next
    setPlace(next)
    if (scroller.current !== null) scroller.current.scrollTop = next.scrollTop
  }, [])

  // What was in sight stays in sight when the list or the window changes.
  useLayoutEffect(() => go(RowWindow.at(latest.current.top, extent)), [extent, go])

  useEffect(() => () => clearTimeout(settling.current), [])

  const onScroll = () => {
    const scrollTop = scroller.current?.scrollTop ?? 0
    // `go` causes scrolls too, to parts of a pixel that browsers round.
    if (Math.abs(scrollTop - latest.current.scrollTop) >= 1) {
      latest.current = RowWindow.scrolled(latest.current, scrollTop, extent)
      setPlace(latest.current)
    }
    clearTimeout(settling.current)
    settling.current = setTimeout(() => go(RowWindow.at(latest.current.top, extent)), settlingMs)
  }

  return {
    scroller,
    rowHeight,
    areaHeight: RowWindow.areaHeight(extent),
    rows: RowWindow.rowsAt(place, extent),
    viewRows: Math.max(Math.floor(viewHeight / rowHeight) - 1, 1),
    isAtTop: place.top < rowHeight,
    onScroll,
    reveal: (row: number) => go(RowWindow.revealing(row, latest.current, extent)),
    toTop: () => go(RowWindow.start)
  }
}
