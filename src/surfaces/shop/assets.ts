/** The styles of the demo shop. */
import { fileBeside, shopStyles as stylesOf } from '../web/assets.ts'

export const shopStyles = stylesOf(fileBeside(import.meta.url, 'shop.css'))
