/**
 * A table of any length, of which only the rows in sight are drawn. Its rows may come later: what is not there yet is a
 * placeholder. One row is chosen with the keyboard (arrows, page up and down, home, end), and opened with Enter.
 */
import {
  type CSSProperties,
  type KeyboardEvent,
  type Ref,
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useRef,
  useState
} from "react"
import { classNames } from "../classNames.ts"
import type { LongColumn } from "./LongColumn.ts"
import { LongRow } from "./LongRow.tsx"
import { useRowWindow } from "./UseRowWindow.ts"
import classes from "./LongTable.module.css"

export interface LongTableHandle {
  /** Takes the focus, and chooses the row so many further. */
  readonly move: (by: number) => void
  readonly toTop: () => void
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
  useEffect(() => onRows(rows.first, rows.end), [onRows, rows.first, rows.end])
  useEffect(() => onTop?.(isAtTop), [onTop, isAtTop])

  const latest = useRef({ onChoose, onOpen, rowAt })
  useEffect(() => {
    latest.current = { onChoose, onOpen, rowAt }
  })
  const openAt = useCallback((index: number) => {
    const row = latest.current.rowAt(index)
    if (row !== undefined) latest.current.onOpen(row)
  }, [])
  const chooseAt = useCallback((index: number) => latest.current.onChoose(index), [])

  const choose = (index: number) => {
    const bounded = Math.min(Math.max(index, 0), count - 1)
    onChoose(bounded)
    reveal(bounded)
  }
  useImperativeHandle(ref, () => ({
    move: (by) => {
      scroller.current?.focus()
      choose(chosen < 0 ? rows.first : chosen + by)
    },
    toTop
  }))
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => choose(chosen + 1),
      ArrowUp: () => choose(chosen - 1),
      PageDown: () => choose(chosen + viewRows),
      PageUp: () => choose(chosen - viewRows),
      Home: () => choose(0),
      End: () => choose(count - 1),
      Enter: () => openAt(chosen)
    }
    const move = moves[event.key]
    if (move === undefined) return
    event.preventDefault()
    move()
  }
  const rowId = (index: number) => `${id}-${index}`
  const isChosenDrawn = chosen >= rows.first && chosen < rows.end
  const tracks: CSSProperties & Readonly<Record<`--${string}`, string>> = {
    "--tracks": columns.map(({ width }) => width).join(" ")
  }
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
            return (
              <LongRow
                key={row === undefined ? index : rowKey(row)}
                id={rowId(index)}
                index={index}
                row={row}
                columns={columns}
                height={rowHeight}
                isChosen={index === chosen}
                isFocused={isFocused && index === chosen}
                onOpen={openAt}
                onChoose={chooseAt}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}
