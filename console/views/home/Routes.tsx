/** The routes of home. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "#console/app/Root.tsx"

const homeRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./HomeView.tsx"), "HomeView")
})

export const homeRoutes = [homeRoute] as const
