/** The keyboard shortcuts of what is on the screen. Views add theirs with `useShortcuts`. */
import { useEffect, useRef, useSyncExternalStore } from "react"

export interface Shortcut {
  /** As `event.key` has them, one after the other: `?`, `/`, `g r`. */
  readonly keys: string
  /** What it does, in the list: "Go to requests". */
  readonly label: string
  readonly run: () => void
}

export interface Group {
  readonly title: string
  readonly shortcuts: ReadonlyArray<Shortcut>
}

let groups: ReadonlyArray<Group> = []
const listeners = new Set<() => void>()

const change = (next: ReadonlyArray<Group>) => {
  groups = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** All shortcuts in force. Those of later groups win over the same keys of earlier ones. */
export const useGroups = (): ReadonlyArray<Group> => useSyncExternalStore(subscribe, () => groups)

export const currentGroups = (): ReadonlyArray<Group> => groups

/** Adds shortcuts while the component is shown. What they do may change with each rendering, their keys may not. */
export const useShortcuts = (title: string, shortcuts: ReadonlyArray<Shortcut>): void => {
  const latest = useRef(shortcuts)
  useEffect(() => {
    latest.current = shortcuts
  })
  const keys = shortcuts.map((shortcut) => `${shortcut.keys}\n${shortcut.label}`).join("\n\n")
  useEffect(() => {
    const group: Group = {
      title,
      shortcuts: latest.current.map(({ keys, label }, index) => ({
        keys,
        label,
        run: () => latest.current[index]?.run()
      }))
    }
    change([...groups, group])
    return () => change(groups.filter((one) => one !== group))
  }, [title, keys])
}
