/** Starts the application. */
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { startTransition, StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { queryClient } from "#console/api/Queries.ts"
import * as Reachability from "./connection/Reachability.ts"
import * as Release from "./connection/Release.ts"
import * as SessionChanges from "./connection/SessionChanges.ts"
import { router } from "./Router.tsx"

/** How long a slow or absent server leaves the page as `index.html` has it, before a view says what it waits for. */
const longestWaitMs = 1_000

/** Loads the first view, and its code while the session is still asked for. */
const load = async () => {
  const [routes] = router.getMatchedRoutes(router.latestLocation.pathname)
  for (const route of routes) void router.loadRouteChunk(route)
  await router.load()
}

export const start = async () => {
  const root = document.getElementById("root")
  if (root === null) return
  SessionChanges.watch(() => router.invalidate())
  Reachability.watch()
  Release.watch()
  await Promise.race([load(), new Promise((resolve) => setTimeout(resolve, longestWaitMs))])
  const page = createRoot(root)
  // In slices, so that the browser can do something else in between.
  startTransition(() =>
    page.render(
      <StrictMode>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </StrictMode>
    )
  )
}
