/**
 * A table of any length, of which only the rows in sight are drawn. Its rows may come later: what is not there yet is a
 * placeholder. One row is chosen with the keyboard (arrows, `j` and `k`, page up and down, home, end), and opened with Enter.
 */
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type Ref,
  useEffect,
  useId,
  useImperativeHandle,
  useState
} from "react"
import { classNames } from "../classNames.ts"
import type { Column } from "../data/Table.tsx"
import { useRowWindow } from "./UseRowWindow.ts"
import classes from "./LongTable.module.css"

export interface LongColumn<Row> extends Column<Row> {
  /** Its track in the grid, such as `8rem` or `minmax(8rem, 1fr)`. */
  readonly width: string
  /** Left out on narrow windows, where a row has two lines of two columns. */
  readonly isMinor?: boolean
}

export interface LongTableHandle {
  readonly focus: () => void
  readonly toTop: () => void
  readonly element: () => HTMLElement | null
}

export interface LongTableProps<Row> {
  /** What the table shows, for screen readers. */
  readonly caption: string
  readonly columns: ReadonlyArray<LongColumn<Row>>
  /** All rows, also those that are not loaded. */
  readonly count: number
  /** `undefined` while the row is not loaded. */
  readonly rowAt: (index: number) => Row | undefined
  readonly rowKey: (row: Row) => string
  readonly onOpen: (row: Row) => void
  /** The rows that are drawn, from the first to before `end`. */
  readonly onRows: (first: number, end: number) => void
  /** Whether the first row is in sight. */
  readonly onTop?: (isAtTop: boolean) => void
  /** The row with the keyboard's choice; -1: none. */
  readonly chosen: number
  readonly onChoose: (index: number) => void
  readonly ref?: Ref<LongTableHandle>
}

export const LongTable = <Row,>({
  caption,
  chosen,
  columns,
  count,
  onChoose,
  onOpen,
  onRows,
  onTop,
  ref,
  rowAt,
  rowKey
}: LongTableProps<Row>) => {
  const id = useId()
  const { areaHeight, isAtTop, onScroll, reveal, rowHeight, rows, scroller, toTop, viewRows } =
    useRowWindow(count)
  const [isFocused, setFocused] = useState(false)
  useImperativeHandle(ref, () => ({
    focus: () => scroller.current?.focus(),
    toTop,
    element: () => scroller.current
  }))
  useEffect(() => onRows(rows.first, rows.end), [onRows, rows.first, rows.end])
  useEffect(() => onTop?.(isAtTop), [onTop, isAtTop])

  const choose = (index: number) => {
    const bounded = Math.min(Math.max(index, 0), count - 1)
    onChoose(bounded)
    reveal(bounded)
  }
  const open = () => {
    const row = rowAt(chosen)
    if (row !== undefined) onOpen(row)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => choose(chosen + 1),
      j: () => choose(chosen + 1),
      ArrowUp: () => choose(chosen - 1),
      k: () => choose(chosen - 1),
      PageDown: () => choose(chosen + viewRows),
      PageUp: () => choose(chosen - viewRows),
      Home: () => choose(0),
      End: () => choose(count - 1),
      Enter: open
    }
    const move = moves[event.key]
    if (move === undefined) return
    event.preventDefault()
    move()
  }
  const onClick = (event: MouseEvent, row: Row | undefined) => {
    const isOnControl = event.target instanceof Element && event.target.closest("a, button") !== null
    const isSelecting = document.getSelection()?.isCollapsed === false
    if (row !== undefined && !isOnControl && !isSelecting && event.button === 0) onOpen(row)
  }
  const rowId = (index: number) => `${id}-${index}`
  const isChosenDrawn = chosen >= rows.first && chosen < rows.end
  const tracks: CSSProperties & Readonly<Record<`--${string}`, string>> = {
    "--tracks": columns.map(({ width }) => width).join(" ")
  }
  const header = columns.find(({ isRowHeader }) => isRowHeader === true)?.id ?? columns[0]?.id
  const indices = Array.from({ length: rows.end - rows.first }, (_, index) => rows.first + index)
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={caption}
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
      aria-activedescendant={isChosenDrawn ? rowId(chosen) : undefined}
      tabIndex={0}
      className={classes["scroller"]}
      style={tracks}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        if (event.target !== event.currentTarget) return
        setFocused(true)
        if (chosen < 0 && count > 0) onChoose(rows.first)
      }}
      onBlur={() => setFocused(false)}
    >
      <div role="rowgroup" className={classes["head"]}>
        <div role="row" aria-rowindex={1} className={classes["row"]}>
          {columns.map(({ align = "start", header: name, id, isMinor = false }, index) => (
            <div
              key={id}
              role="columnheader"
              aria-colindex={index + 1}
              className={classNames(classes["cell"], classes[align], isMinor && classes["minor"])}
            >
              {name}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" className={classes["area"]} style={{ blockSize: areaHeight }}>
        <div
          role="presentation"
          className={classes["shown"]}
          style={{ transform: `translateY(${rows.offset}px)` }}
        >
          {indices.map((index) => {
            const row = rowAt(index)
            const isChosen = isFocused && index === chosen
            return (
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- The grid has the focus and the keys.
              <div
                key={row === undefined ? index : rowKey(row)}
                id={rowId(index)}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={index === chosen}
                aria-busy={row === undefined}
                className={classNames(classes["row"], classes["body"], isChosen && classes["chosen"])}
                style={{ blockSize: rowHeight }}
                onClick={(event) => onClick(event, row)}
                onMouseDown={() => onChoose(index)}
              >
                {columns.map(({ align = "start", cell, id, isMinor = false }, column) => (
                  <div
                    key={id}
                    role={id === header ? "rowheader" : "gridcell"}
                    aria-colindex={column + 1}
                    className={classNames(classes["cell"], classes[align], isMinor && classes["minor"])}
                  >
                    {row === undefined ? <span className={classes["awaited"]} /> : cell(row)}
                  </div>
                ))}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}
