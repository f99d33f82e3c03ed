/** Whether single keys are shortcuts. Kept in this browser, because speech input and some keyboards need them off. */
import { useSyncExternalStore } from "react"

const name = "inferlog.shortcuts"
const listeners = new Set<() => void>()

/** Without storage they are on. */
const isOn = (): boolean => {
  try {
    return localStorage.getItem(name) !== "off"
  } catch {
    return true
  }
}

export const set = (on: boolean): void => {
  try {
    if (on) localStorage.removeItem(name)
    else localStorage.setItem(name, "off")
  } catch {
    // It stays as it was.
  }
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useIsOn = (): boolean => useSyncExternalStore(subscribe, isOn)
