/** The styles of the demo shop. */
import { fileBeside, pageStyles } from '../web/assets.ts'

export const shopStyles = pageStyles(fileBeside(import.meta.url, 'shop.css'))
