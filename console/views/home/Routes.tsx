/** The routes of home. */
import { createRoute } from "@tanstack/react-router"
import { lazyView } from "#console/app/LazyView.ts"
import { accountRoute } from "#console/app/Root.tsx"

const homeRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "/",
  component: lazyView(() => import("./HomeView.tsx"), "HomeView")
})

export const homeRoutes = [homeRoute] as const
