/** The routes of requests. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "#console/app/Root.tsx"

const requestsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "requests",
  component: lazyRouteComponent(() => import("./RequestsView.tsx"), "RequestsView")
})

export const requestsRoutes = [requestsRoute] as const
