/** Which rows of a long list are drawn, and where. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as RowWindow from "#console/design/table/RowWindow.ts"

const short: RowWindow.Extent = { count: 1_000, rowHeight: 40, viewHeight: 600 }
const long: RowWindow.Extent = { count: 1_000_000, rowHeight: 40, viewHeight: 600 }

/** A list, where its reader is, and where they scroll to. */
const scroll = fc.record({
  count: fc.integer({ min: 0, max: 3_000_000 }),
  rowHeight: fc.integer({ min: 20, max: 64 }),
  viewHeight: fc.integer({ min: 1, max: 2_000 }),
  from: fc.double({ min: 0, max: 1, noNaN: true }),
  to: fc.double({ min: 0, max: 1, noNaN: true })
})

const end = (extent: RowWindow.Extent) => extent.count * extent.rowHeight - extent.viewHeight

describe("The window of a long table", () => {
  it("is no higher than browsers draw", () => {
    assert.strictEqual(RowWindow.areaHeight(short), 40_000)
    assert.strictEqual(RowWindow.areaHeight(long), RowWindow.mostHeight)
  })

  it("moves a long list by as much as the wheel", () => {
    const middle = RowWindow.at(20_000_000, long)
    const moved = RowWindow.scrolled(middle, middle.scrollTop + 120, long)
    assert.strictEqual(moved.top, middle.top + 120)
    assert.strictEqual(RowWindow.rowsAt(moved, long).first - RowWindow.rowsAt(middle, long).first, 3)
  })

  it("draws the rows at the same place of the window while the wheel moves", () => {
    const middle = RowWindow.at(20_000_000, long)
    const moved = RowWindow.scrolled(middle, middle.scrollTop + 40, long)
    const before = RowWindow.rowsAt(middle, long)
    const after = RowWindow.rowsAt(moved, long)
    const placeOf = (row: number, { first, offset }: RowWindow.Rows) => offset + (row - first) * 40
    assert.approximately(placeOf(500_010, before), placeOf(500_010, after), 0.01)
  })

  it("leads a drag of the scroll bar to the same share of the list", () => {
    const half = (RowWindow.mostHeight - long.viewHeight) / 2
    assert.approximately(RowWindow.scrolled(RowWindow.start, half, long).top, end(long) / 2, 1)
  })

  it("reaches the first and the last row at the ends of the scroll bar", () => {
    fc.assert(
      fc.property(scroll, ({ from, ...extent }) => {
        const begin = RowWindow.at(from * Math.max(end(extent), 0), extent)
        const most = Math.max(RowWindow.areaHeight(extent) - extent.viewHeight, 0)
        assert.strictEqual(RowWindow.rowsAt(RowWindow.scrolled(begin, 0, extent), extent).first, 0)
        assert.strictEqual(
          RowWindow.rowsAt(RowWindow.scrolled(begin, most, extent), extent).end,
          extent.count
        )
      })
    )
  })

  it("covers what is in sight, and draws a few more rows alone", () => {
    fc.assert(
      fc.property(scroll, ({ from, to, ...extent }) => {
        const most = Math.max(RowWindow.areaHeight(extent) - extent.viewHeight, 0)
        const place = RowWindow.scrolled(
          RowWindow.at(from * Math.max(end(extent), 0), extent),
          to * most,
          extent
        )
        const { end: after, first, offset } = RowWindow.rowsAt(place, extent)
        const bottom = Math.min(place.scrollTop + extent.viewHeight, RowWindow.areaHeight(extent))
        if (extent.count > 0) {
          assert.isAtMost(offset, place.scrollTop + 0.01)
          assert.isAtLeast(offset + (after - first) * extent.rowHeight, bottom - 0.01)
        }
        assert.isAtMost(after - first, Math.ceil(extent.viewHeight / extent.rowHeight) + 18)
      })
    )
  })

  it("moves no further than it takes to reveal a row", () => {
    const place = RowWindow.at(4_000, short)
    assert.strictEqual(RowWindow.revealing(110, place, short), place)
    assert.strictEqual(RowWindow.revealing(99, place, short).top, 3_960)
    assert.strictEqual(RowWindow.revealing(115, place, short).top, 4_040)
  })
})
