/** Which shortcut the pressed keys mean. */
import type { Group, Shortcut } from "./Registry.ts"

/** The keys so far: a whole shortcut, the beginning of one, or nothing. */
export type Match =
  | { readonly type: "whole"; readonly shortcut: Shortcut }
  | { readonly type: "beginning" | "none" }

export const match = (groups: ReadonlyArray<Group>, pressed: string): Match => {
  const all = groups.flatMap(({ shortcuts }) => shortcuts)
  const shortcut = all.findLast(({ keys }) => keys === pressed)
  if (shortcut !== undefined) return { type: "whole", shortcut }
  return { type: all.some(({ keys }) => keys.startsWith(`${pressed} `)) ? "beginning" : "none" }
}

const texts = "input, textarea, select, [contenteditable], [role=textbox], [role=combobox], [role=listbox]"
const overlays = "[role=dialog], [role=alertdialog], [role=menu]"

/** Whether keys mean something else there: text, a choice in a list, or a dialog. */
export const isTaken = (event: KeyboardEvent): boolean => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
    return true
  if (event.target instanceof Element && event.target.closest(texts) !== null) return true
  return document.querySelector(overlays) !== null
}
