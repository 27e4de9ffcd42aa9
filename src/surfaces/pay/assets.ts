/** The styles and the script of the payment page. */
import { customerStyles, fileBeside, scriptAsset } from '../web/assets.ts'

export const payStyles = customerStyles(fileBeside(import.meta.url, 'pay.css'))
export const payScript = scriptAsset('pay', fileBeside(import.meta.url, 'pay.client.ts'))
