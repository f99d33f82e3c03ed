/** Whether the server now serves another build of the console than the one that runs here. */
import { consolePath } from "#console/api/Client.ts"

const listeners = new Set<() => void>()
let isOther = false

const tell = () => {
  isOther = true
  for (const listener of listeners) listener()
}

export const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const isNewer = (): boolean => isOther

/** The name of the first script, which changes with every build. */
const scriptIn = (html: string): string | null => /assets\/[\w.-]+\.js/.exec(html)?.[0] ?? null

const own = scriptIn(document.querySelector<HTMLScriptElement>("script[type=module][src]")?.src ?? "")

const check = async () => {
  if (isOther || own === null) return
  const response = await fetch(`${consolePath}/`, { cache: "no-store" }).catch(() => null)
  if (response?.ok !== true) return
  const served = scriptIn(await response.text())
  if (served !== null && served !== own) tell()
}

/** Time between two looks at most, ms. */
const pauseMs = 5 * 60_000
let lookedAt = 0

/** Looks when the page is seen again, and when a part of it could not be loaded. */
export const watch = (): void => {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible" || Date.now() - lookedAt < pauseMs) return
    lookedAt = Date.now()
    void check()
  })
  window.addEventListener("vite:preloadError", () => void check())
}

/** Looks now, such as after the server was away. */
export const look = (): void => void check()
