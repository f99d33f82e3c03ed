/** The routes of models. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "#console/app/Root.tsx"

const modelsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "models",
  component: lazyRouteComponent(() => import("./ModelsView.tsx"), "ModelsView")
})

export const modelsRoutes = [modelsRoute] as const
