/** Views that are loaded when they are opened. While the browser is offline they wait for it, and the frame says so. */
import { lazyRouteComponent } from "@tanstack/react-router"

const online = () =>
  new Promise<void>((resolve) => window.addEventListener("online", () => resolve(), { once: true }))

/** The router would load the whole page again, and end at the browser's own error. */
const whenOnline = async <A>(load: () => Promise<A>): Promise<A> => {
  try {
    return await load()
  } catch (cause) {
    if (navigator.onLine) throw cause
    await online()
    return whenOnline(load)
  }
}

export const lazyView: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => whenOnline(load), name)
