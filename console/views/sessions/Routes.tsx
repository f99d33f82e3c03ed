/** The routes of sessions. */
import { createRoute } from "@tanstack/react-router"
import { lazyView } from "#console/app/LazyView.ts"
import { shellRoute } from "#console/app/Root.tsx"

const sessionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "sessions",
  component: lazyView(() => import("./SessionsView.tsx"), "SessionsView")
})

export const sessionsRoutes = [sessionsRoute] as const
