/** The routes of sessions. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { shellRoute } from "#console/app/Root.tsx"

const sessionsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: "sessions",
  component: lazyRouteComponent(() => import("./SessionsView.tsx"), "SessionsView")
})

export const sessionsRoutes = [sessionsRoute] as const
