/** A long list of which only the items in sight are drawn. Each item opens to its details. */
import { useVirtualizer } from "@tanstack/react-virtual"
import { type ReactNode, type UIEvent, useId, useRef, useState } from "react"
import classes from "./OpeningList.module.css"

/** px of a closed item, until it is measured. */
const usualHeight = 40

/** px from an end of the list at which it counts as reached. */
const near = 400

export const OpeningList = <Item,>({
  details,
  items,
  keyOf,
  label,
  onEnd,
  onTop,
  summary
}: {
  readonly label: string
  readonly items: ReadonlyArray<Item>
  readonly keyOf: (item: Item) => string
  /** What a closed item shows, in a button. */
  readonly summary: (item: Item) => ReactNode
  readonly details: (item: Item) => ReactNode
  /** Called when the last items come into sight. */
  readonly onEnd?: (() => void) | undefined
  /** Whether the first item is in sight. */
  readonly onTop?: ((isAtTop: boolean) => void) | undefined
}) => {
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const { getTotalSize, getVirtualItems, measureElement } = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => usualHeight,
    getItemKey: (index) => {
      const item = items[index]
      return item === undefined ? index : keyOf(item)
    },
    overscan: 8
  })
  const toggle = (key: string) =>
    setOpened((before) => {
      const after = new Set(before)
      if (!after.delete(key)) after.add(key)
      return after
    })
  const onScroll = ({ currentTarget }: UIEvent<HTMLDivElement>) => {
    const { clientHeight, scrollHeight, scrollTop } = currentTarget
    onTop?.(scrollTop < usualHeight)
    if (scrollHeight - scrollTop - clientHeight < near) onEnd?.()
  }
  return (
    <div ref={scroller} className={classes["scroller"]} onScroll={onScroll}>
      <ul aria-label={label} className={classes["area"]} style={{ blockSize: getTotalSize() }}>
        {getVirtualItems().map(({ index, key, start }) => {
          const item = items[index]
          if (item === undefined) return null
          const name = String(key)
          const isOpen = opened.has(name)
          return (
            <li
              key={key}
              ref={measureElement}
              data-index={index}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              className={classes["item"]}
              style={{ transform: `translateY(${start}px)` }}
            >
              <button
                type="button"
                aria-expanded={isOpen}
                aria-controls={isOpen ? `${id}-${name}` : undefined}
                className={classes["opener"]}
                onClick={() => toggle(name)}
              >
                {summary(item)}
              </button>
              {isOpen && (
                <div id={`${id}-${name}`} className={classes["details"]}>
                  {details(item)}
                </div>
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
