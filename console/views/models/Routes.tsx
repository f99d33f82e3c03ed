/** The routes of models: the catalog, and one model with its playground. */
import { createRoute } from "@tanstack/react-router"
import { lazyView } from "#console/app/LazyView.ts"
import { accountRoute } from "#console/app/Root.tsx"
import * as CatalogSearch from "./catalog/CatalogSearch.ts"
import * as ModelSearch from "./model/ModelSearch.ts"

const modelsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "models",
  validateSearch: CatalogSearch.parse,
  component: lazyView(() => import("./catalog/CatalogView.tsx"), "CatalogView")
})

const modelRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "models/$owner/$name",
  validateSearch: ModelSearch.parse,
  component: lazyView(() => import("./model/ModelView.tsx"), "ModelView")
})

export const modelsRoutes = [modelsRoute, modelRoute] as const
