package app

import android.content.SharedPreferences

class Settings(private val preferences: SharedPreferences) {
    var dark: Boolean
        get() = preferences.getBoolean("dark", false)
        set(value) = preferences.edit().putBoolean("dark", value).apply()
}
