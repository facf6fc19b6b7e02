package app

import android.content.SharedPreferences
import androidx.datastore.core.DataStore
import androidx.datastore.preferences.core.Preferences
import androidx.datastore.preferences.core.booleanPreferencesKey
import androidx.datastore.preferences.core.edit
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.map

private val DARK = booleanPreferencesKey("dark")

class Settings(private val store: DataStore<Preferences>) {
    val dark: Flow<Boolean> = store.data.map { it[DARK] ?: false }

    suspend fun setDark(value: Boolean) {
        store.edit { it[DARK] = value }
    }

    /** Takes over what older versions stored. */
    suspend fun migrate(old: SharedPreferences) {
        TODO("Not yet implemented")
    }
}
