/**
 * Whether the server can be reached. While it cannot, queries pause (`onlineManager`); when it can again, they are read anew.
 * Browsers notice only that the network is gone, so a failed call is followed by tries until the server answers.
 */
import { onlineManager } from "@tanstack/react-query"
import { consolePath, onUnreachable } from "#console/api/Client.ts"

const firstPauseMs = 1_000
const longestPauseMs = 15_000

const answers = async (): Promise<boolean> => {
  try {
    await fetch(`${consolePath}/session`, { cache: "no-store", credentials: "same-origin" })
    return true
  } catch {
    return false
  }
}

let isTrying = false

const tryUntilReached = async () => {
  if (isTrying) return
  isTrying = true
  onlineManager.setOnline(false)
  for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 2)) {
    await new Promise((resolve) => setTimeout(resolve, pause))
    if (await answers()) break
  }
  isTrying = false
  onlineManager.setOnline(true)
}

/** Begins to watch. */
export const watch = (): void => {
  onUnreachable(() => void tryUntilReached())
}
